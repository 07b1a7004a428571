import { it } from 'vitest'
import { startService } from './support/service.js'
import { createApp } from '../server/app.js'
import { openApiDocument } from '../server/http/openapi.js'
import { restRouter } from '../server/router.js'
import { createRestMount } from '../server/http/rest.js'
it('x', async () => { const t=(n:string,f:()=>unknown)=>{const a=performance.now();f();console.log(n,performance.now()-a)}
 const a=performance.now(); await using s = await startService(); console.log('start', performance.now()-a)
 for (let i=0;i<3;i++){ t('app',()=>createApp(s.deps)); t('openapi',()=>openApiDocument(restRouter,s.config)); t('rest',()=>createRestMount(restRouter,s.deps)) }
 const b=performance.now(); await using s2 = await startService({databaseUrl:s.databaseUrl, identityProvider:s.identityProvider}); console.log('start2', performance.now()-b)
 const c=performance.now(); await s2.close(); console.log('close', performance.now()-c)
})
