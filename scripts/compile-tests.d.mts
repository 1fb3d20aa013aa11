/** Writes JavaScript of the files, and of the TypeScript that they import, below the folder; answers where each file's is. */
export function compileTests(files: readonly string[], folder: string): Promise<(file: string) => string>;
