import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { pictureFile, pictureOfPlan } from '../../scripts/picture.js'

test('the picture in the README has the present output of the program; npm run picture creates it', async () => {
  expect(await pictureOfPlan()).toBe(readFileSync(pictureFile, 'utf8'))
})
