/** What each operation answers when it goes well, by example: real answers, whose ids, times and links are made up. */
import { capabilityLabels } from '../../domain/catalogue.ts';
import { exampleIds } from './example-ids.ts';
import type { Facts } from './operation.ts';

/** Examples of one answer by their names. */
export type Examples = Readonly<Record<string, { summary: string; value: unknown }>>;

/** By operation and status; of bodies that are JSON. `publicUrl` is where links in records lead to. */
export function answerExamples({ model }: Facts, publicUrl: string): Record<string, Record<number, Examples>> {
  const image = imageTasks(model('image'), publicUrl);
  const video = videoTasks(model('video'), publicUrl);
  const chatModel = record('model', { id: model('chat'), created, owned_by: 'tollgate' });
  const response = one('The response', responseOf(model('code')));
  const talk = { id: exampleIds.avatar_talk, status: 'processing' };
  const up = one('It is', { status: 'ok' });
  return {
    createChatCompletion: { 200: one('The answer', completionOf(model('chat'))) },
    createResponse: { 200: response },
    getResponse: { 200: response },
    deleteResponse: {
      200: one('It is deleted', record('response', { id: exampleIds.response, deleted: true })),
    },
    cancelResponse: { 200: response },
    listModels: { 200: one('The models', { object: 'list', data: [chatModel] }) },
    getModel: { 200: one('The model', chatModel) },
    createImage: { 200: one('Done', image.succeeded), 202: one('Running', image.processing) },
    getImage: { 200: states(image) },
    cancelImage: { 200: one('Cancelled', image.cancelled) },
    createVideo: { 200: one('Done', video.succeeded), 202: one('Running', video.processing) },
    getVideo: { 200: states(video) },
    cancelVideo: { 200: one('Cancelled', video.cancelled) },
    createAvatarTalk: { 200: one('Accepted', talk) },
    getAvatarTalk: {
      200: {
        processing: { summary: 'Running', value: talk },
        failed: { summary: 'Failed', value: { ...talk, status: 'error', error: cancelled } },
      },
    },
    cancelAvatarTalk: { 200: one('Cancelled', { ...talk, status: 'error', error: cancelled }) },
    listTasks: { 200: one('A page', page(image.succeeded, video.cancelled)) },
    createQuote: {
      200: one(
        'An image',
        record('quote', {
          model: model('image'),
          hold: 0.4,
          currency: 'CNY',
          unit: 'image',
          units: 2,
          unit_price: 0.2,
        }),
      ),
    },
    getAccount: { 200: one('The account', account) },
    changeAccount: { 200: one('The account', { ...account, low_balance: 10 }) },
    listLedger: { 200: one('A page', page(entryOf(model('image')))) },
    listUsage: { 200: one('By day', page(usage)) },
    getWebhookSecret: { 200: one('The secret', webhookSecret) },
    rotateWebhookSecret: { 200: one('The secret', webhookSecret) },
    createKey: { 201: one('The key', { ...key, key: `${key.start}${'x'.repeat(35)}${key.last4}` }) },
    listKeys: { 200: one('A page', page(key)) },
    getKey: { 200: one('The key', key) },
    changeKey: { 200: one('The key', { ...key, max_running_tasks: 5 }) },
    revokeKey: { 200: one('The key', { ...key, revoked: true }) },
    getModelHealth: { 200: one('The report', healthOf(model('chat'))) },
    isUp: { 200: up },
    isReady: {
      200: {
        ...up,
        degraded: {
          summary: 'Tasks are accepted and run later',
          value: { status: 'degraded', temporal: 'Temporal does not answer' },
        },
      },
    },
    getOpenApi: { 200: one('Its beginning', { openapi: '3.1.1', info: { title: 'Tollgate' } }) },
  };
}

const one = (summary: string, value: unknown): Examples => ({ example: { summary, value } });
const record = <Fields extends object>(object: string, fields: Fields) => ({ object, ...fields });
const page = (...data: readonly unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null });

/** The first second of 2026, UTC. */
const created = 1_767_225_600;
const local = { cost: 0.2, balance: 99.8 };
const cancelled = { message: 'The task was cancelled.', type: 'conflict_error', param: null, code: 'cancelled' };
const failure = {
  message: 'The prompt was refused by content moderation.',
  type: 'invalid_request_error',
  param: 'prompt',
  code: 'content_policy_violation',
};

interface States {
  processing: object;
  succeeded: object;
  failed: object;
  cancelled: object;
}

function states({ processing, succeeded, failed }: States): Examples {
  return {
    succeeded: { summary: 'Done', value: succeeded },
    processing: { summary: 'Running', value: processing },
    failed: { summary: 'Failed', value: failed },
  };
}

/** The record that a creation is answered with when its image task fails within the wait. */
export const failedImage = (model: string) => (error: unknown) => ({ ...imageTasks(model, '').failed, error });

/** The same of a video task. */
export const failedVideo = (model: string) => (error: unknown) => ({ ...videoTasks(model, '').failed, error });

/** The data of each event that webhooks tell. */
export function eventExamples({ model }: Facts, publicUrl: string): Readonly<Record<string, unknown>> {
  const [image, video] = [imageTasks(model('image'), publicUrl), videoTasks(model('video'), publicUrl)];
  const talk = { id: exampleIds.avatar_talk, object: 'avatar_talk' };
  return {
    'image.succeeded': image.succeeded,
    'image.failed': image.failed,
    'video.succeeded': video.succeeded,
    'video.failed': video.failed,
    'avatar_talk.succeeded': { ...talk, status: 'completed', duration: 12.4, tokens: 12_400, cost: 0.62, error: null },
    'avatar_talk.failed': { ...talk, status: 'error', duration: null, tokens: null, cost: null, error: cancelled },
    'account.balance_low': {
      id: exampleIds.account,
      object: 'account',
      currency: 'CNY',
      balance: 9.8,
      held: 0,
      low_balance: 10,
    },
  };
}

const linkTo = (publicUrl: string, id: string) => `${publicUrl}/files/${id}/0?e=1767312000&k=1&s=c2lnbmF0dXJl`;
const running = (path: string, id: string) => ({
  status: 'processing',
  message: `The task is running. Poll GET ${path}/${id} for its result.`,
});

/** An image task in each of its states. */
function imageTasks(model: string, publicUrl: string): States {
  const { image: id } = exampleIds;
  const head = { id, object: 'image', model, created };
  const failed = { ...head, status: 'failed', success: false };
  return {
    processing: { ...head, ...running('/images/generations', id) },
    succeeded: {
      ...head,
      status: 'succeeded',
      data: [{ url: linkTo(publicUrl, id) }],
      success: true,
      _local: local,
    },
    failed: { ...failed, error: failure },
    cancelled: { ...failed, error: cancelled },
  };
}

/** A video task in each of its states. */
function videoTasks(model: string, publicUrl: string): States {
  const { video: id } = exampleIds;
  const head = { id, object: 'video', model, created };
  return {
    processing: { ...head, ...running('/video/generations', id) },
    succeeded: { ...head, status: 'succeeded', content: [{ video_url: linkTo(publicUrl, id) }], _local: local },
    failed: { ...head, status: 'failed', error: failure },
    cancelled: { ...head, status: 'failed', error: cancelled },
  };
}

const completionOf = (model: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created,
  model,
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello! How can I help?', refusal: null },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 },
});

const responseOf = (model: string) => ({
  id: exampleIds.response,
  object: 'response',
  created_at: created,
  status: 'completed',
  error: null,
  model,
  output: [
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'const add = (a, b) => a + b;', annotations: [] }],
    },
  ],
  usage: { input_tokens: 9, output_tokens: 12, total_tokens: 21 },
});

const account = {
  object: 'account',
  id: exampleIds.account,
  name: 'Example',
  currency: 'CNY',
  balance: 99.8,
  held: 0,
  webhook_url: null,
  low_balance: null,
};

const webhookSecret = { object: 'webhook_secret', secret: 'whsec_ZXhhbXBsZSBvZiBhIHNlY3JldCBvZiAzMiBieXRlcyE=' };

const key = {
  id: exampleIds.key,
  object: 'api_key',
  name: 'batch jobs',
  level: 'standard',
  models: null,
  call_limits: [{ calls: 60, per: 'minute' }],
  spend_limit: null,
  max_running_tasks: null,
  expires_at: null,
  created,
  last_used: null,
  start: 'sk-tg-AbCd',
  last4: 'wXyZ',
  revoked: false,
};

const entryOf = (model: string) => ({
  id: exampleIds.entry,
  object: 'ledger_entry',
  created: created + 2,
  type: 'capture',
  amount: 0,
  balance: 99.8,
  charged: 0.2,
  task_id: exampleIds.image,
  request_id: exampleIds.request,
  key_id: exampleIds.key,
  model,
  units: 1,
  unit: 'image',
  unit_price: 0.2,
  usage_source: null,
});

const usage = {
  object: 'usage',
  day: '2026-01-01',
  calls: 7,
  input_tokens: 20,
  output_tokens: 60,
  images: 2,
  seconds: 5,
  tokens: 80,
  cost: 0.90078,
};

const healthOf = (model: string) => ({
  health: { [model]: { available: true, latencyMs: 412, lastChecked: created * 1000 } },
  capabilities: { [model]: ['chat'] },
  labels: capabilityLabels,
});
