import { readdirSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { loadAll } from 'js-yaml'

/**
 * The minimal work of any program: it starts, reads and parses the same JSON with the same concurrency, and parses the same YAML
 * files with the fastest equivalent parser. Arguments: the folder of the manifests, the base URL, a file with the paths to get,
 * and the concurrency. The file has one path per line; the first page is requested alone, because it contains the number of
 * pages.
 */
const [folder, url, pathsFile, concurrency] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: Number(concurrency) })

function send(method, path, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, agent, headers }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve(JSON.parse(Buffer.concat(parts).toString('utf8'))))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function readPages() {
  const form =
    'grant_type=password&username=local-user&password=local-password&scope=00000000-0000-4000-8000-00000000a4ea'
  const basic = `Basic ${Buffer.from('local-key:local-secret').toString('base64')}`
  const token = await send(
    'POST',
    '/v3/token',
    { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' },
    form,
  )
  const headers = { authorization: `Bearer ${token.access_token}` }
  const [first, ...others] = readFileSync(pathsFile, 'utf8').split('\n').filter(Boolean)
  const pages = [await send('GET', first, headers)]
  pages.push(...(await Promise.all(others.map((path) => send('GET', path, headers)))))
  return pages
}

const documents = readdirSync(folder).map((file) => loadAll(readFileSync(`${folder}/${file}`, 'utf8')))
const pages = await readPages()
agent.destroy()
if (documents.length === 0 || pages.length === 0) process.exitCode = 1
