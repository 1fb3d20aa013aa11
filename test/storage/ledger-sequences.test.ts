/** What may happen to money at random, over the ledger's own decisions; `test/full` tries many times as much. */
import { testAdmissionCounts } from '../support/admission-counts.ts';
import { testLedgerSequences } from '../support/ledger-sequences.ts';

testLedgerSequences(200);
testAdmissionCounts(200);
