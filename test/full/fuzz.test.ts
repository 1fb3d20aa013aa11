/** The changed files, forms and streams of `npm test`, fifty times as many. `TEST_SEED` repeats a run. */
process.env['TEST_ROUNDS'] ??= '3000';
await import('../media/hostile.test.ts');
await import('../domain/chat/hostile-stream.test.ts');
await import('../api/body/hostile-forms.test.ts');
