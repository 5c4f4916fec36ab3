import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** The path of a browser on this machine, under the names that distributions use; undefined if there is none. */
export function browserHere(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram)
}

/** Opens the browser. Only the time limit of the test applies. */
export const openBrowser = (): Promise<Browser> =>
  // In a container, the browser has no sandbox; it opens only our own pages.
  chromium.launch({ executablePath: browserHere() ?? '', args: ['--no-sandbox', '--disable-gpu'], timeout: 0 })

export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(0)
  return await context.newPage()
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
