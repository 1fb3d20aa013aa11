/** The process that transfers, so that its time and memory are not those of what is measured. */
import { makeSampleVideo } from './form.ts';
import { orderSchema } from './messages.ts';
import { transfer } from './transfer.ts';

const video = await makeSampleVideo();
process.on('message', (message) => {
  void transfer(orderSchema.parse(message), video).then((outcome) => process.send?.(outcome));
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
