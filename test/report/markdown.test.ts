import { describe, expect, test } from 'vitest'
import { code, escaped, escapedHtml, fenced } from '../../src/report/markdown.js'

/** Checked with cmark-gfm by hand: none of these becomes more than text. */
describe('texts of others in Markdown', () => {
  test.each([
    ['![i](http://e.example/x)', '\\!&#8203;\\[i\\](http:&#8203;//e.example/x)'],
    ['<img src=x> &amp;', '&lt;img src=x&gt; &amp;amp;'],
    ['@octocat/admins, me@e.example', '@&#8203;octocat/admins, me@&#8203;e.example'],
    ['#123 GH-12 !7 ~bug', '\\#&#8203;123 GH&#8203;-12 \\!&#8203;7 \\~&#8203;bug'],
    ['www.e.example', 'www&#8203;.e.example'],
    ['**b** _i_ `c` a|b \\', '\\*\\*b\\*\\* \\_i\\_ \\`c\\` a\\|b \\\\'],
    ['${env:NAME} $x$', '&#36;{env:NAME} &#36;x&#36;'],
    ['- item', '\\- item'],
    ['1. one', '1\\. one'],
    ['    indented', 'indented'],
    ['two\n/close', 'two<br>/close'],
    ['\u001b[2J\u202e', '\\\\u001b\\[2J\\\\u202e'],
  ])('%j as words', (text, expected) => {
    expect(escaped(text)).toBe(expected)
  })

  test.each([
    ['Service/Orders API', '`Service/Orders API`'],
    ['a`b``c', '```a`b``c```'],
    ['`', '`` ` ``'],
    [' a', '`  a `'],
    ['', '`  `'],
    ['</details>\n@me', '`</details>\\u000a@me`'],
  ])('%j as code', (text, expected) => {
    expect(code(text)).toBe(expected)
  })

  test('in a summary and in a block end neither', () => {
    expect(escapedHtml('</code></summary>\n\n@a & b')).toBe('&lt;/code&gt;&lt;/summary&gt;\\u000a\\u000a@a &amp; b')
    expect(fenced('+ ````')).toBe('`````diff\n+ ````\n`````')
    expect(fenced('`a'.repeat(300_000)).slice(0, 8)).toBe('```diff\n')
  })
})
