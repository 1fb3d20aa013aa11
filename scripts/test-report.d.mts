import type { FileOutcome } from './test-pool.mjs';

export function testReport(print?: (text: string) => void): {
  add: (outcome: FileOutcome) => void;
  failed: () => string[];
  end: (filesWanted: number, serversCpuMs?: Record<string, number | undefined>) => boolean;
};
