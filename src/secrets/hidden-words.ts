/** What stands in texts in the place of a secret, such as messages, answers of the platform and logs. */
export const hiddenText = '***'

/** What stands in documents and reports in the place of a secret value. */
export const masked = '(sensitive)'

/** The same of a secret that becomes another one. */
export const maskedChange = '(sensitive, changed)'
