import { type Json, someText } from '../json/json.js'

/**
 * Whether the platform's answer hides a secret: only signs such as "****", with up to four characters of the secret before or
 * after them, or a word such as "[REDACTED]".
 */
export const isHiddenAnswer = (answered: Json): boolean =>
  someText(answered, (text) => signs.test(text) || word.test(text))

const signs = /^.{0,4}?([*•●∗])\1{2,}.{0,4}$|^([xX#.])\2{3,}$/u

const word = /^[[(<{*]+\W*(hidden|masked|redacted|encrypted|protected|secret|sensitive)\W*[\])>}*]+$/i
