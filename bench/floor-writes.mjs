import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/**
 * Sends the same writes in a simple loop, to measure the limits of this machine and its platform process. Arguments: the base
 * URL, a file with the paths to PUT (one per line), and the concurrency. Prints the milliseconds from the first to the last
 * answer.
 */
const [url, pathsFile, concurrency] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(concurrency) })

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const form =
  'grant_type=password&username=local-user&password=local-password&scope=00000000-0000-4000-8000-00000000a4ea'
const basic = `Basic ${Buffer.from('local-key:local-secret').toString('base64')}`
const token = JSON.parse(
  await send('POST', '/v3/token', { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }, form),
)
const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' }
const paths = readFileSync(pathsFile, 'utf8').split('\n').filter(Boolean)
const started = performance.now()
let next = 0
const worker = async () => {
  for (let path = paths[next++]; path !== undefined; path = paths[next++]) await send('PUT', path, headers, '{}')
}
await Promise.all(Array.from({ length: Number(concurrency) }, worker))
process.stdout.write(String(performance.now() - started))
agent.destroy()
