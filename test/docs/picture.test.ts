import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pictureFile, pictureOfPlan } from '../../scripts/picture.js'

test('the picture of the README shows what the program shows today; npm run picture makes it', async () => {
  expect(await pictureOfPlan()).toBe(readFileSync(pictureFile, 'utf8'))
})
