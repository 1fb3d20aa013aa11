/** Ten thousand random sequences of what may happen to money: `npm test` has five hundred. */
import { testLedgerSequences } from '../support/ledger-sequences.ts';

testLedgerSequences(10_000);
