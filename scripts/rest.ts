/** A minimal REST client: another user who changes the area without gatewright. */

interface Access {
  readonly url: string
  readonly area: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly username: string
  readonly password: string
}

interface Named {
  readonly id: string
  readonly name: string
}

export class Rest {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  private constructor(base: string, token: string) {
    this.#base = base
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  }

  static async connect({ url, area, apiKey, apiSecret, username, password }: Access): Promise<Rest> {
    const answer = await fetch(`${url}/v3/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${apiKey}:${apiSecret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'password', username, password, scope: area }),
    })
    const { access_token: token } = await read<{ access_token: string }>(answer)
    return new Rest(`${url}/v3/rest`, token)
  }

  /** The id of the only object with that name in a collection. */
  async find(path: string, name: string): Promise<string> {
    const query = new URLSearchParams({ filter: `name:${name}`, fields: 'id,name' })
    const answer = await fetch(`${this.#base}${path}?${query}`, { headers: this.#headers })
    const found = (await read<readonly Named[]>(answer)).find((each) => each.name === name)
    if (!found) throw new Error(`${path} has no "${name}"`)
    return found.id
  }

  async put(path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const answer = await fetch(this.#base + path, {
      method: 'PUT',
      headers: this.#headers,
      body: JSON.stringify(body),
    })
    await read(answer)
  }
}

async function read<Shape>(answer: Response): Promise<Shape> {
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${answer.url}: ${text}`)
  const value: Shape = JSON.parse(text)
  return value
}
