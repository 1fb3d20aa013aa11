/** The floor: the least that a Koa application can do to pass a call on with undici and its answer back. It reads nothing. */
import Koa from 'koa';
import { Agent, request } from 'undici';

const upstream = process.env['UPSTREAM'] ?? '';
const dispatcher = new Agent({ connections: null, pipelining: 1, keepAliveTimeout: 60_000 });

const app = new Koa();
app.silent = true;
app.use(async (ctx) => {
  const { 'content-type': type, 'content-length': length, authorization } = ctx.headers;
  const answer = await request(upstream + ctx.url, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': type, 'content-length': length, ...(authorization !== undefined && { authorization }) },
    body: ctx.req,
  });
  ctx.status = answer.statusCode;
  const { 'content-type': answerType, 'content-length': answerLength } = answer.headers;
  if (answerType !== undefined) ctx.set('content-type', answerType);
  if (answerLength !== undefined) ctx.set('content-length', answerLength);
  ctx.body = answer.body;
});

const server = app.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
server.keepAliveTimeout = 120_000;
process.once('disconnect', () => process.exit());
