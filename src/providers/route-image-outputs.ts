/** What images of a route can be asked to be, where its options say more than its model. */
import { imageBackgrounds, imageFormats, type ImageOutputs, type OutputRoute } from '../domain/tasks/image-outputs.ts';

/** The outputs known of a model; an `output_format` or `background` of the route's options is sent whatever the caller asks for. */
export function withOptions(known: ImageOutputs, { options }: OutputRoute): ImageOutputs {
  const { output_format: format, background } = options;
  const name = format === 'jpg' ? 'jpeg' : format;
  return {
    formats: format === undefined ? known.formats : imageFormats.filter((one) => one === name),
    backgrounds: background === undefined ? known.backgrounds : imageBackgrounds.filter((one) => one === background),
  };
}
