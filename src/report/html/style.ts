/**
 * The style of the pages: light and dark, for screen and print. All text colours have a contrast of at least 4.5 with their
 * background.
 */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--panel:#f5f6f8;--line:#d5d9e0;--text:#1b1f26;--soft:#545c69;--link:#0b57c2;
--create:#12692f;--update:#7d5200;--delete:#ae1f1b;--replace:#7a2fa3;--blocked:#7a2fa3;--note:#0b57c2;
--create-ground:#e4f4e8;--update-ground:#fbf0d9;--delete-ground:#fce8e7;--replace-ground:#f4e9fa;--note-ground:#e6effb}
@media (prefers-color-scheme:dark){:root{--ground:#14171c;--panel:#1d2128;--line:#39404b;--text:#e7eaef;--soft:#aab2be;--link:#8ab8ff;
--create:#7fd695;--update:#eec46d;--delete:#ff9d96;--replace:#d9a8f2;--blocked:#d9a8f2;--note:#8ab8ff;
--create-ground:#17301e;--update-ground:#35290f;--delete-ground:#3d1c1b;--replace-ground:#301d3a;--note-ground:#172841}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main,header,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.5rem}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .75rem;overflow-wrap:anywhere}
h2{font-size:1.1rem;margin:2rem 0 .75rem}
h3{font-size:1rem;margin:1.25rem 0 .4rem;overflow-wrap:anywhere}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code,li,p{overflow-wrap:anywhere}
code{white-space:pre-wrap}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;background:var(--ground);padding:.25rem .75rem;z-index:1}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:0}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;margin:1rem 0 0;padding:0}
.counts li{border:1px solid var(--line);border-radius:.5rem;padding:.3rem .75rem;background:var(--panel)}
.counts b{font-size:1.15rem}
.create{--own:var(--create);--own-ground:var(--create-ground)}
.update{--own:var(--update);--own-ground:var(--update-ground)}
.delete{--own:var(--delete);--own-ground:var(--delete-ground)}
.replace,.blocked{--own:var(--replace);--own-ground:var(--replace-ground)}
.note{--own:var(--note);--own-ground:var(--note-ground)}
.counts [class]{border-color:var(--own)}
.counts [class] b{color:var(--own)}
.box{border:1px solid var(--own);border-left-width:.4rem;border-radius:.4rem;background:var(--own-ground);padding:.6rem 1rem;margin:1rem 0}
.box h2{margin:0 0 .4rem}
.box ul{margin:0;padding-left:1.1rem}
.box li+li{margin-top:.4rem}
.hint{color:var(--soft)}
.option{white-space:nowrap}
.box .hint{color:inherit}
.tools{display:flex;flex-wrap:wrap;gap:.5rem .9rem;align-items:center;position:sticky;top:0;background:var(--ground);padding:.6rem 0;border-bottom:1px solid var(--line);z-index:1}
.tools[hidden]{display:none}
.tools input[type=search]{min-width:16rem;flex:1}
input,select,button{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--soft);border-radius:.35rem;padding:.25rem .6rem}
.group{content-visibility:auto;contain-intrinsic-size:auto 5rem}
.group:has(h3)+.group:not(:has(h3)){margin-top:1.25rem}
.entry{border:1px solid var(--line);border-left:.3rem solid var(--own);border-radius:.35rem;margin:.35rem 0;background:var(--ground)}
.entry>summary,.entry>.head{display:flex;flex-wrap:wrap;gap:.15rem .75rem;align-items:baseline;padding:.35rem .75rem;cursor:pointer}
.entry>.head{cursor:default}
.entry>summary::before{content:"▸";color:var(--soft)}
.entry[open]>summary::before{content:"▾"}
.entry>summary::-webkit-details-marker{display:none}
.does{color:var(--own);font-weight:600}
.entry .place{color:var(--soft);margin-left:auto}
.entry>div{padding:0 .75rem .5rem}
.badge{white-space:nowrap;border:1px solid var(--own);color:var(--own);background:var(--own-ground);border-radius:1rem;padding:0 .55rem;font-size:.8rem;font-weight:600}
.remarks{margin:.2rem 0 .5rem;padding-left:1.1rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.2rem .75rem .2rem 0;border-bottom:1px solid var(--line)}
tr:last-child>*{border-bottom:0}
th{font-weight:600;color:var(--soft);font-size:.875rem}
td{overflow-wrap:anywhere;min-width:6rem}
.soft{color:var(--soft)}
.was{color:var(--delete)}
.is{color:var(--create)}
pre{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--panel);border-radius:.35rem;padding:.4rem .6rem}
pre ins,pre del{display:block;text-decoration:none}
pre ins{color:var(--create);background:var(--create-ground)}
pre del{color:var(--delete);background:var(--delete-ground)}
pre span{display:block;color:var(--soft)}
figure{margin:0;border:1px solid var(--line);border-radius:.4rem}
figcaption{padding:.3rem .75rem .5rem;color:var(--soft)}
svg text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:var(--text)}
svg rect{fill:var(--own-ground,var(--panel));stroke:var(--own,var(--soft))}
svg .kind{fill:var(--soft);font-size:10px}
svg path{fill:none;stroke:var(--soft)}
svg marker path{fill:var(--soft)}
.timeline{list-style:none;margin:0;padding:0 0 0 1rem;border-left:2px solid var(--line)}
.timeline>li{position:relative;margin:0 0 .75rem}
.timeline>li::before{content:"";position:absolute;left:-1.4rem;top:.5rem;width:.7rem;height:.7rem;border-radius:50%;background:var(--own)}
footer{margin-top:3rem;padding-bottom:2rem;color:var(--soft)}
@media (max-width:40rem){.entry .place{margin-left:0;flex-basis:100%}dl{grid-template-columns:1fr}dd{margin-bottom:.3rem}}
td:first-child code{overflow-wrap:normal}
@media print{.tools,.skip{display:none}.group{content-visibility:visible}.entry{break-inside:avoid}
::details-content{content-visibility:visible;block-size:auto;display:block}body{font-size:11px}}
`
