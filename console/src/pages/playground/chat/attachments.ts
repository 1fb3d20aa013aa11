/** The files that will be sent with the next message: read when they are chosen, kept while the reader looks elsewhere. */
import { createStore, type Store, useStore } from '../../../api/store.ts';
import { dataUriOf } from '../shared/data-uri.ts';
import { useDraftName } from '../shared/draft.ts';
import type { Attachment } from './turn.ts';

/** What models take: images, and PDFs as files. */
export const attachmentTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const;
export const attachmentsMax = 8;
/** Of one, and of all in a message. A request may have 20 MiB, and base64 makes a third more of each file. */
export const attachmentBytesMax = 5 * 1000 * 1000;
export const attachmentBytesInAllMax = 12 * 1000 * 1000;

export type AttachmentMistake = { kind: 'type' | 'size' | 'unreadable'; name: string } | { kind: 'many' | 'inAll' };

interface Chosen {
  files: readonly Attachment[];
  /** Of what was chosen last. */
  mistake: AttachmentMistake | undefined;
}

const stores = new Map<string, Store<Chosen>>();
const nothing: Chosen = { files: [], mistake: undefined };

export interface Attachments extends Chosen {
  /** Takes those that may be sent; the first that may not becomes the mistake. */
  add: (files: readonly File[]) => Promise<void>;
  remove: (file: Attachment) => void;
  replace: (files: readonly Attachment[]) => void;
}

export function useAttachments(): Attachments {
  const store = storeOf(useDraftName('chat.attachments'));
  const replace = (files: readonly Attachment[], mistake?: AttachmentMistake) => store.set({ files, mistake });
  return {
    ...useStore(store),
    add: async (files) => {
      replace(store.get().files);
      for (const file of files) {
        const mistake = mistakeOf(file, store.get().files) ?? (await take(store, file));
        if (mistake) {
          replace(store.get().files, mistake);
          return;
        }
      }
    },
    remove: (file) => replace(store.get().files.filter((one) => one !== file)),
    replace: (files) => replace(files),
  };
}

async function take(store: Store<Chosen>, file: File): Promise<AttachmentMistake | undefined> {
  const { name, type, size: bytes } = file;
  try {
    const address = await dataUriOf(file);
    store.set({ files: [...store.get().files, { name, type, bytes, address }], mistake: undefined });
    return undefined;
  } catch {
    return { kind: 'unreadable', name };
  }
}

function mistakeOf({ name, type, size }: File, before: readonly Attachment[]): AttachmentMistake | undefined {
  if (!attachmentTypes.some((one) => one === type)) return { kind: 'type', name };
  if (size > attachmentBytesMax) return { kind: 'size', name };
  if (before.length >= attachmentsMax) return { kind: 'many' };
  const inAll = before.reduce((sum, { bytes }) => sum + bytes, size);
  return inAll > attachmentBytesInAllMax ? { kind: 'inAll' } : undefined;
}

function storeOf(name: string): Store<Chosen> {
  let store = stores.get(name);
  if (!store) stores.set(name, (store = createStore(nothing)));
  return store;
}
