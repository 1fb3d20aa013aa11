/** Where uploads and results are kept: one small file is written, read and removed. */
import type { Environment } from '../../../config/environment.ts';
import { blobsOf } from '../../../runtime/open-blob-store.ts';
import { fail, ok, skip, type Verdict } from './finding.ts';
import { reasonOf } from './reason.ts';

/** `hasFolder`: the data folder is there; nothing is made for a check. */
export async function examineBlobStore(environment: Environment, hasFolder: boolean): Promise<Verdict<true>> {
  const name = 'blob store';
  const { s3, dataDir } = environment;
  if (!s3 && !hasFolder) return { findings: [skip(name, 'needs data folder')] };
  const place = s3 ? `bucket ${s3.bucket} at ${hostOf(s3.endpoint)}` : `files in ${dataDir}/blobs`;
  try {
    const blobs = await blobsOf(environment);
    await blobs.check().finally(() => blobs.close());
    return { findings: [ok(name, `${place}: write, read and delete work`)], value: true };
  } catch (error) {
    const fix = s3
      ? 'check S3_BUCKET, S3_ENDPOINT and S3_REGION, and that the key can read, write and delete'
      : `make ${dataDir}/blobs writable for the user that runs Tollgate, on a disk with free space and hard links`;
    return { findings: [fail(name, `${place}: ${reasonOf(error)}`, fix)] };
  }
}

const hostOf = (endpoint: string | undefined): string =>
  endpoint === undefined ? 'Amazon S3' : new URL(endpoint).host;
