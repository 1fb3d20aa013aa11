/** What became of a test file. */
export interface FileOutcome {
  file: string;
  tests: number;
  skipped: number;
  /** `at` is a file and its line. */
  failures: { name: string; at?: string; reason: string }[];
  output: string;
  durationMs: number;
  /** Of its process and of programs that it started and that have ended. Undefined where that can't be read any more. */
  cpuMs: number | undefined;
}

export function runPool(
  files: readonly string[],
  options: {
    env: NodeJS.ProcessEnv;
    atOnce: number;
    needsOwnProcess?: (file: string) => boolean;
    budgetMsOf: (file: string) => number;
    codeFolder: string;
    signal: AbortSignal;
    onEnd: (outcome: FileOutcome) => void;
  },
): Promise<void>;
