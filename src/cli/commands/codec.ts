/** `tollgate codec`: decrypts payloads for Temporal's UI, on the machine of whoever looks at it. */
import { type Command, InvalidArgumentError } from 'commander';

const port_default = 8234;

interface Options {
  host: string;
  port: number;
  origin?: string[];
}

export function addCodecCommand(program: Command): void {
  program
    .command('codec')
    .description("decrypt payloads for Temporal's UI and command line, with TEMPORAL_CODEC_KEYS; until it is stopped")
    .option('--host <address>', 'listen there; whoever can reach it can have payloads decrypted', '127.0.0.1')
    .option('--port <number>', 'listen on this port; 0 takes a free one', port, port_default)
    .option('--origin <url...>', "of the UI's address; TOLLGATE_TEMPORAL_UI_URL without")
    .action(async (options: Options) => {
      const { runCodec } = await import('../roles/codec-role.ts');
      await runCodec({ ...options, origins: options.origin });
    });
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError('it must be a number from 0 to 65535.');
}
