#!/usr/bin/env -S node --min-semi-space-size=16
/**
 * The `tollgate` command: makes the folder ready where something is missing or stale, then runs. V8's young generation
 * begins at 16 MiB, where it would end up: starting small cost a chat call a tenth of its time in collections.
 */
import { runScript } from '../scripts/prepare.mjs';

await runScript(() => import('../dist/cli/main.js'));
