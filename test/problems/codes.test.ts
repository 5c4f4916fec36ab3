import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { problemCodes } from '../../src/problems/codes.js'

const room = join(import.meta.dirname, '../../src/problems')

test('every code on the page is used somewhere', () => {
  const texts = readdirSync(room).filter((file) => file !== 'codes.ts')
  const made = texts.map((file) => readFileSync(join(room, file), 'utf8')).join('\n')
  expect(texts.length).toBeGreaterThan(5)
  expect(Object.keys(problemCodes).filter((code) => !made.includes(`'${code}'`))).toEqual([])
})

test('meanings and remedies are whole sentences on one line', () => {
  const texts = Object.entries(problemCodes).flatMap(([code, { means, remedy }]) => [
    [code, means],
    [code, remedy],
  ])
  expect(texts.filter(([, text = '']) => !/^[A-Za-z$-][^\n]*[.@0-9a-z]$/.test(text))).toEqual([])
})
