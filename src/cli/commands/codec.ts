/** `tollgate codec`: decrypts payloads for Temporal's UI, on the machine whose browser shows them. */
import { type Command, InvalidArgumentError } from 'commander';

const portDefault = 8234;

interface Options {
  host: string;
  port: number;
  origin?: string[];
}

export function addCodecCommand(program: Command): void {
  program
    .command('codec')
    .description("run a codec server that decrypts payloads for Temporal's UI and CLI with TEMPORAL_CODEC_KEYS")
    .option('--host <address>', 'listen on this address; anyone who can reach it can decrypt payloads', '127.0.0.1')
    .option('--port <number>', 'listen on this port; 0 picks a free one', port, portDefault)
    .option('--origin <url...>', 'origin of the UI; default: TOLLGATE_TEMPORAL_UI_URL')
    .action(async (options: Options) => {
      const { runCodec } = await import('../roles/codec-role.ts');
      await runCodec({ ...options, origins: options.origin });
    });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('Must be a number from 0 to 65535.');
}
