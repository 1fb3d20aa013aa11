/** The long form of `test/storage/ledger-sequences.test.ts`. */
import { testAdmissionCounts } from '../support/admission-counts.ts';
import { testLedgerSequences } from '../support/ledger-sequences.ts';

testLedgerSequences(10_000);
testAdmissionCounts(1_000);
