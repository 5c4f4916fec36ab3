/**
 * The script of the pages: search, filters, keys, and expansion of everything for printing. Without it, the page has the same
 * contents. It sends nothing, stores nothing and creates no HTML.
 */
export const script = `
(() => {
  const tools = document.querySelector('.tools')
  const all = [...document.querySelectorAll('.entry')]
  const open = (entry) => { if (entry instanceof HTMLDetailsElement) entry.open = true }
  let showAll = () => {}
  const show = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1))
    if (!target) return
    if (target.hidden) showAll()
    open(target)
    target.scrollIntoView()
  }
  addEventListener('hashchange', show)
  addEventListener('beforeprint', () => all.forEach(open))
  if (!tools) return show()
  const entries = [...document.querySelectorAll('.group .entry')]
  const search = tools.querySelector('[type=search]')
  const choices = [...tools.querySelectorAll('select')]
  const count = tools.querySelector('output')
  const texts = new Map()
  const textOf = (entry) => {
    if (!texts.has(entry)) texts.set(entry, (decodeURIComponent(entry.id) + ' ' + entry.textContent).toLowerCase())
    return texts.get(entry)
  }
  const filter = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
    let shown = 0
    for (const entry of entries) {
      const fits = choices.every(({ name, value }) => !value || (entry.dataset[name] || '').split('|').includes(value))
      entry.hidden = !(fits && words.every((word) => textOf(entry).includes(word)))
      if (!entry.hidden) shown += 1
    }
    for (const group of document.querySelectorAll('.group')) group.hidden = !group.querySelector('.entry:not([hidden])')
    count.value = shown === entries.length ? '' : shown + ' of ' + entries.length
  }
  showAll = () => {
    search.value = ''
    for (const each of choices) each.value = ''
    filter()
  }
  search.addEventListener('input', filter)
  for (const each of choices) each.addEventListener('change', filter)
  for (const button of tools.querySelectorAll('button')) {
    button.addEventListener('click', () => {
      for (const entry of entries) if (!entry.hidden && entry instanceof HTMLDetailsElement) entry.open = button.value === 'open'
    })
  }
  addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus() }
    if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; filter() }
  })
  tools.hidden = false
  // They stay at the top of the window: nothing that somebody goes to may stand behind them.
  const makeRoom = () => { document.documentElement.style.scrollPaddingTop = tools.offsetHeight + 8 + 'px' }
  addEventListener('resize', makeRoom)
  makeRoom()
  show()
})()
`
