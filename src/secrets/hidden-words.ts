/** The replacement for a secret in texts, such as messages, answers of the platform and logs. */
export const hiddenText = '***'

/** The replacement for a secret value in documents and reports. */
export const masked = '(sensitive)'

/** The same for a secret that changes. */
export const maskedChange = '(sensitive, changed)'
