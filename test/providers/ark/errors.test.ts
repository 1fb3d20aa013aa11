/** Every code of Ark's table of errors, as a create reports it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import type { VideoRequest } from '../../../src/domain/requests/video-request.ts';
import type { Job } from '../../../src/providers/contract.ts';
import { imageJob, videoJob } from '../../support/jobs.ts';
import { providerOf } from '../contract/jobs.ts';
import { openStandIn } from '../contract/stand-in.ts';
import { arkFixture } from './fixture.ts';

const table: [status: number, code: ErrorCode, fallOver: boolean, names: string[]][] = [
  [
    ...([400, 'content_policy_violation', false] as const),
    [
      ...['SensitiveContentDetected', 'SensitiveContentDetected.SevereViolation', 'SensitiveContentDetected.Violence'],
      ...['InputTextSensitiveContentDetected', 'InputImageSensitiveContentDetected.PrivacyInformation'],
      ...['InputVideoSensitiveContentDetected', 'InputAudioSensitiveContentDetected.PolicyViolation'],
      ...['OutputTextSensitiveContentDetected', 'OutputImageSensitiveContentDetected.DeepFake'],
      ...['OutputVideoSensitiveContentDetected', 'OutputAudioSensitiveContentDetected'],
      ...['InputTextRiskDetection', 'InputImageRiskDetection', 'OutputTextRiskDetection', 'OutputImageRiskDetection'],
    ],
  ],
  [
    ...([400, 'invalid_parameter', false] as const),
    [
      ...['InvalidParameter', 'InvalidParameter.UnsupportedParameter', 'InvalidParameter.TosURLInvalid'],
      ...['MissingParameter', 'MissingParameter.Content', 'InvalidArgumentError.UnknownRole', 'OutofContextError'],
      ...['InvalidImageURL.EmptyURL', 'InvalidImageURL.InvalidFormat', 'SomethingNew.OfTheCaller'],
    ],
  ],
  [
    ...([429, 'upstream_rate_limited', true] as const),
    [
      ...['RateLimitExceeded.EndpointRPMExceeded', 'RateLimitExceeded.EndpointTPMExceeded', 'AccountRateLimitExceeded'],
      ...['RateLimitExceeded.FoundationModelRPMExceeded', 'ModelAccountRpmRateLimitExceeded'],
      ...['ModelAccountIpmRateLimitExceeded', 'APIAccountRpmRateLimitExceeded', 'InflightBatchsizeExceeded'],
      ...['ServerOverloaded', 'RequestBurstTooFast', 'SomethingNew.AboutRates'],
    ],
  ],
  [
    ...([429, 'upstream_error', true] as const),
    ['QuotaExceeded', 'QuotaExceeded.AgentPlanQuotaExceeded', 'SetLimitExceeded'],
  ],
  [
    ...([400, 'upstream_error', true] as const),
    ['InvalidEndpoint.ClosedEndpoint', 'InvalidSubscription', 'ContentSecurityDetectionError'],
  ],
  [401, 'upstream_error', true, ['AuthenticationError', 'InvalidAccountStatus']],
  [
    ...([403, 'upstream_error', true] as const),
    ['AccountOverdueError', 'AccessDenied', 'OperationDenied.ServiceNotOpen', 'OperationDenied.ServiceOverdue'],
  ],
  [
    ...([404, 'upstream_error', true] as const),
    [
      ...['InvalidEndpoint.NotFound', 'InvalidEndpointOrModel.NotFound', 'NotFound.Model', 'ModelNotOpen'],
      ...['InvalidEndpointOrModel.ModelIDAccessDisabled', 'UnsupportedModel'],
    ],
  ],
];

const words = 'Account 2100000001 sent something.';

for (const [status, code, fallOver, names] of table) {
  for (const name of names) {
    test(`${status} ${name} is ${code}`, async () => {
      for (const job of [imageJob(), videoJob()]) {
        const error = await refusalOf(job, { code: name, message: `${words} Request id: 0217abc9f` }, status);
        assert.deepEqual([error.code, error.fallOver], [code, fallOver]);
        assert.doesNotMatch(error.message, /request id|0217abc9f/i);
        // What is between the operator and the provider is not shown to the caller.
        if (fallOver) assert.doesNotMatch(error.message, /2100000001/);
        else assert.equal(error.message, words);
      }
    });
  }
}

test('an internal error leaves open whether the task was taken, whatever its code says', async () => {
  for (const code of ['InternalServiceError', 'InvalidParameter', 'ServerOverloaded']) {
    assert.equal((await submitted(imageJob(), { code, message: 'x' }, 500)).outcome, 'unknown');
  }
});

for (const [original, kept] of [
  ['It failed.Request ID: {id}', 'It failed.'],
  ['It failed. Request id: 021785474593489 .', 'It failed.'],
  ['Try again later Request id: 0217abc', 'Try again later'],
  ['The size is too small (request_id=0217abc).', 'The size is too small.'],
  ['Try again later Request id: 0217abc. Or not.', 'Try again later. Or not.'],
  ['Request id: 0217abc It failed.', 'It failed.'],
  ['First. Request id: 0217abc. Second.', 'First. Second.'],
  ['', 'The provider refused the task.'],
] as const) {
  test(`"${original}" is reported as "${kept}"`, async () => {
    const { message } = await refusalOf(imageJob(), { code: 'InvalidParameter', message: original });
    assert.equal(message, kept);
  });
}

const items: VideoRequest['content'] = [
  { type: 'text', text: 'Cars pass' },
  { type: 'image_url', url: 'https://caller/1', role: 'reference_image' },
];
const fromItems = videoJob({ content: items });
const fromPrompt = videoJob({ content: items, form: 'prompt' });
const promptOnly = videoJob({ content: items.slice(0, 1), form: 'prompt' });

for (const [job, body, param] of [
  [imageJob(), { param: 'size' }, 'size'],
  [imageJob(), { param: 'prompt' }, 'prompt'],
  [imageJob(), { param: 'image' }, 'image_urls'],
  [imageJob(), { param: 'image[1]' }, 'image_urls[1]'],
  [imageJob(), { param: 'sequential_image_generation_options.max_images' }, 'n'],
  [imageJob(), { param: '', message: 'The parameter `size` specified in the request is not valid: too few.' }, 'size'],
  [imageJob(), { code: 'MissingParameter.prompt' }, 'prompt'],
  [imageJob(), { param: 'output_format' }, null],
  [imageJob(), { param: 'model' }, null],
  [imageJob(), { param: null }, null],
  [imageJob(), { param: 7 }, null],
  [fromItems, { param: 'duration' }, 'duration'],
  [fromItems, { param: 'ratio' }, 'ratio'],
  [fromItems, { param: 'generate_audio' }, 'generate_audio'],
  [fromItems, { param: 'resolution' }, null],
  [fromItems, { param: 'content' }, 'content'],
  [fromItems, { param: 'content[0].text' }, 'content[0].text'],
  [fromItems, { param: 'content[1]' }, 'content[1].image_url.url'],
  [fromItems, { param: 'content[1].image_url' }, 'content[1].image_url.url'],
  [fromItems, { param: 'content[1].role' }, 'content[1].role'],
  [fromItems, { param: 'content[9]' }, 'content'],
  [fromPrompt, { param: 'content[0].text' }, 'prompt'],
  [fromPrompt, { param: 'content[1].image_url' }, 'content[0].image_url.url'],
  [fromPrompt, { param: 'content[1].role' }, 'content[0].role'],
  [fromPrompt, { message: 'The parameter `content[1].image_url` is not valid.' }, 'content[0].image_url.url'],
  [promptOnly, { param: 'content' }, 'prompt'],
] as const satisfies readonly (readonly [Job, Record<string, unknown>, string | null])[]) {
  const form = job.input.kind === 'video' ? `, from ${job.input.request.form}` : '';
  test(`${JSON.stringify(body)} of a job of kind ${job.kind}${form} is the caller's ${param ?? 'no parameter'}`, async () => {
    const error = await refusalOf(job, { code: 'InvalidParameter', message: 'It is not valid.', ...body });
    assert.equal(error.param, param);
  });
}

test("the provider's words name an item as its caller does", async () => {
  const message = "The request failed because the input image 'content[1]' may contain real person. Request id: 02";
  const code = 'InputImageSensitiveContentDetected.PrivacyInformation';
  const error = await refusalOf(fromPrompt, { code, message, param: 'content[1]' });
  assert.deepEqual(
    [error.code, error.param, error.message],
    [
      'content_policy_violation',
      'content[0].image_url.url',
      "The request failed because the input image 'content[0].image_url.url' may contain real person.",
    ],
  );
});

async function refusalOf(job: Job, error: unknown, status = 400) {
  const submission = await submitted(job, error, status);
  assert.ok(submission.outcome === 'refused', JSON.stringify(submission));
  const { code, message, param } = submission.error;
  return { code, message, param, fallOver: submission.fallOver };
}

async function submitted(job: Job, error: unknown, status: number) {
  const standIn = await openStandIn(arkFixture, { image: Buffer.from('an image'), video: Buffer.from('a video') });
  const provider = providerOf(arkFixture, standIn.baseUrl);
  try {
    standIn.creates({ reply: { status, json: { error } } });
    return await provider.submit(job, new AbortController().signal);
  } finally {
    await provider.close?.();
    await standIn.close();
  }
}
