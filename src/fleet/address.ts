/**
 * The canonical spelling of an IP address. An IPv4 address in IPv6 form becomes plain IPv4. Undefined if the text is not an IP
 * address, such as a name or a subnet.
 */
export function plainAddress(written: string): string | undefined {
  const text = written.replace(/^::ffff:(?=\d+\.)/i, '')
  const parts = text.split('.')
  if (parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) return text
  if (!/^[\da-f:.]+$/i.test(text)) return undefined
  return URL.canParse(`http://[${text}]`) ? new URL(`http://[${text}]`).hostname : undefined
}
