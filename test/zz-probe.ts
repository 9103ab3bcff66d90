import { serveDemo } from '/work/main/test/e2e/demo-server.js';
import { launch } from '/work/main/test/e2e/driver.js';
const demo = await serveDemo(); const d = await launch('chromium'); 
await d.open(demo.url); await d.waitFor('tool-chat >>> textarea'); await d.type('tool-chat >>> textarea','Delete the task "Call the dentist"'); await d.press('Enter');
await d.waitFor('tool-chat >>> [part~=approve-button]', 15000);
for (let i=0;i<4;i++){ console.log(await d.evaluate(() => { const out:string[]=[]; const walk=(r:ParentNode)=>{ for(const e of r.querySelectorAll('*')){ if((e.getAttribute('part')||'').includes('approve-button')) { const b=e.getBoundingClientRect(); out.push(e.outerHTML.slice(0,200)+' '+JSON.stringify(b)+' '+e.checkVisibility()); } if(e.shadowRoot) walk(e.shadowRoot);} }; walk(document); return out.join('\n')+' focus='+document.hasFocus()+' vis='+document.visibilityState; })); await new Promise(r=>setTimeout(r,700)); }
console.log(d.complaints); await d.close(); await demo.close(); process.exit(0);
