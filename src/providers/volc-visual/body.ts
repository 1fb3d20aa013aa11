/** What Volcengine Visual is asked to make: a job as its models (`req_key`) take it. */
import type { Job } from '../contract.ts';
import { cannot, inputsOf, namedFields } from '../inputs.ts';

/** https://www.volcengine.com/docs/85621/2164806 */
const upscaleReqKeyDefault = 'jimeng_i2i_seed3_tilesr_cvtob';

/** How many reference images a model takes, as its official page has it; 14 are the most that a caller may name. */
const imagesMaxByModel: ReadonlyMap<string, number> = new Map([
  ['jimeng_seedream46_cvtob', 14],
  ['jimeng_t2i_v40', 10],
  ['jimeng_t2i_v31', 0],
  ['jimeng_t2i_v30', 0],
  ['jimeng_i2i_v30', 1],
]);

/** The model that does this job: the route's, but for upscaling the one that the route's options name. */
export function reqKeyOf(job: Job): string {
  return isUpscaling(job) ? upscaleReqKeyOf(job) : job.model;
}

/** The body of the create. Throws for what the model can't do. */
export function createBodyOf(job: Job): Record<string, unknown> {
  const options = Object.fromEntries(Object.entries(job.options).filter(([name]) => name !== 'upscale_req_key'));
  return { ...namedFields({ ...job, options }, fieldsOf(job)), req_key: reqKeyOf(job) };
}

function fieldsOf(job: Job): Record<string, unknown> {
  const { input, kind } = job;
  const { prompt, images, video, audio } = inputsOf(job);
  const text = prompt === '' ? undefined : prompt;
  if (input.kind === 'image') {
    const { pixels, n, quality } = input.request;
    // Only one image is upscaled. Its `scale` (0 to 100, for details) is another one than that of `quality`.
    if (pixels.mode === 'upscale') return { image_urls: images, resolution: pixels.longerSide === 8192 ? '8k' : '4k' };
    refuseTooManyImages(job, images.length);
    return {
      prompt: text,
      image_urls: images.length > 0 ? images : undefined,
      width: pixels.width,
      height: pixels.height,
      scale: job.qualityScale?.[quality],
      // There is no count: without this, the model makes as many as it finds right for the prompt.
      force_single: n === 1,
    };
  }
  // https://www.volcengine.com/docs/6791/1156403; it has no field for a text.
  if (kind === 'avatar-video') return { url: video, pure_audio_url: audio };
  // https://www.volcengine.com/docs/85621/1829013
  return { image_url: images[0], audio_url: audio, prompt: text };
}

function refuseTooManyImages(job: Job, imageCount: number): void {
  if (job.model === upscaleReqKeyOf(job))
    throw cannot("This model only upscales images: send 'upscale': true.", 'upscale');
  const most = imagesMaxByModel.get(job.model);
  if (most === undefined || imageCount <= most) return;
  const allowed = most === 0 ? 'no reference images' : `at most ${most} reference image${most === 1 ? '' : 's'}`;
  throw cannot(`'image_urls' has ${imageCount} items; this model accepts ${allowed}.`, 'image_urls');
}

const isUpscaling = ({ input }: Job): boolean => input.kind === 'image' && input.request.pixels.mode === 'upscale';

function upscaleReqKeyOf({ options }: Job): string {
  const { upscale_req_key: named } = options;
  return typeof named === 'string' && named !== '' ? named : upscaleReqKeyDefault;
}
