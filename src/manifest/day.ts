/** Whether a text is a day of the calendar: `2027-01-31`. The engine takes 30 February for 2 March. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text
