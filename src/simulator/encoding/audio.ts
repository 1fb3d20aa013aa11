/** Audio of the simulator's videos: a soft tone, or a given file's audio as packets, encoded to MP3 where it must be. */
import { registerMp3Encoder } from '@mediabunny/mp3-encoder';
import {
  AudioSample,
  AudioSampleSink,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  EncodedPacketSink,
  FilePathTarget,
  Input,
  MP3,
  MP4,
  Mp3OutputFormat,
  Output,
  QTFF,
  Quality,
  WAVE,
  type EncodedPacket,
  type InputFormat,
  type InputAudioTrack,
  type Target,
} from 'mediabunny';
import type { AudioTrack } from './mux.ts';
import { UnusableInput, type AvatarTask } from './tasks.ts';

registerMp3Encoder();

/** Opens a file that is closed when the task ends. */
export type OpenInput = (path: string, formats: InputFormat[]) => Input;

const toneHertz = 220;
const toneLoudness = 0.08;
const toneSamplesPerSecond = 48_000;
const bitsPerSecond = 96_000;
/** What MP3 has; audio at another rate is resampled to the last of them. */
const mp3Rates = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/** Longer than any video the API has, so that one tone, made once in a thread's life, serves them all. */
const commonToneMs = 12_000;
let commonTone: Promise<ArrayBuffer> | undefined;

/** A soft tone of exactly `durationMs`; the same duration always gives the same packets. */
export async function toneTrack(durationMs: number): Promise<AudioTrack> {
  // The encoder's last frames depend on where the tone ends, so the common one is used only well before its end.
  const isCommon = durationMs <= commonToneMs - 500;
  const file = await (isCommon ? (commonTone ??= toneFile(commonToneMs)) : toneFile(durationMs));
  return cutTrack(await audioOf(new Input({ formats: [MP3], source: new BufferSource(file) })), durationMs);
}

async function toneFile(durationMs: number): Promise<ArrayBuffer> {
  const target = new BufferTarget();
  await encodeMp3(target, toneSamples(durationMs));
  if (target.buffer === null) throw new Error('the encoder wrote no audio');
  return target.buffer;
}

/**
 * The audio of a file, cut at `durationMs`: its own packets where MP4 can hold them, else encoded to MP3 by way of
 * `scratchPath`. Refuses with `UnusableInput` a file without readable audio.
 */
export async function fileTrack(
  audio: AvatarTask['audio'],
  scratchPath: string,
  openInput: OpenInput,
): Promise<AudioTrack> {
  const track = await audioOf(openInput(audio.path, [WAVE, MP3, MP4, QTFF]));
  const codec = await track.getCodec();
  if (codec === null) throw new UnusableInput('audio', 'its audio has an unknown codec');
  if (!codec.startsWith('pcm') && codec !== 'ulaw' && codec !== 'alaw') return cutTrack(track, audio.durationMs);
  await encodeMp3(new FilePathTarget(scratchPath), mp3Samples(new AudioSampleSink(track).samples()));
  return cutTrack(await audioOf(openInput(scratchPath, [MP3])), audio.durationMs);
}

async function audioOf(input: Input): Promise<InputAudioTrack> {
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new UnusableInput('audio', 'it has no audio');
  return track;
}

/**
 * Packets from time 0 on that are over by `durationMs`: a decoder never plays more than that, which cutting
 * the last packet's stated duration would not achieve.
 */
async function cutTrack(track: InputAudioTrack, durationMs: number): Promise<AudioTrack> {
  const codec = await track.getCodec();
  if (codec === null) throw new UnusableInput('audio', 'its audio has an unknown codec');
  const sink = new EncodedPacketSink(track);
  const first = await sink.getFirstPacket({ metadataOnly: true });
  if (first === null || first.duration <= 0) throw new UnusableInput('audio', 'its audio is empty');
  const end = durationMs / 1_000;
  return {
    codec,
    decoderConfig: await track.getDecoderConfig(),
    packets: cutPackets(sink, first.timestamp, end),
    // The index is reserved for as many; packets of one codec differ little in length.
    packetsMax: Math.ceil(end / first.duration) * 2 + 16,
  };
}

async function* cutPackets(sink: EncodedPacketSink, start: number, end: number): AsyncGenerator<EncodedPacket, void> {
  for await (const packet of sink.packets()) {
    const timestamp = packet.timestamp - start;
    // A microsecond for what sums of floating-point numbers lose.
    if (timestamp + packet.duration > end + 1e-6) return;
    yield packet.clone({ timestamp });
  }
}

async function encodeMp3(target: Target, samples: AsyncIterable<AudioSample> | Iterable<AudioSample>): Promise<void> {
  const output = new Output({ format: new Mp3OutputFormat(), target });
  const source = new AudioSampleSource({
    codec: 'mp3',
    quality: new Quality({ bitrate: bitsPerSecond }),
  });
  output.addAudioTrack(source);
  await output.start();
  for await (const sample of samples) {
    await source.add(sample);
    sample.close();
  }
  await output.finalize();
}

function* toneSamples(durationMs: number): Generator<AudioSample> {
  const pieceFrames = toneSamplesPerSecond;
  for (let start = 0; start * 1_000 < durationMs * toneSamplesPerSecond; start += pieceFrames) {
    const data = Float32Array.from({ length: pieceFrames }, (_, at) => {
      const seconds = (start + at) / toneSamplesPerSecond;
      const swell = 0.6 + 0.4 * Math.cos(Math.PI * seconds);
      return toneLoudness * swell * Math.sin(2 * Math.PI * toneHertz * seconds);
    });
    yield monoSample(data, toneSamplesPerSecond, start / toneSamplesPerSecond);
  }
}

/** Samples as one or two channels at a rate that MP3 has; more channels are mixed into one. */
async function* mp3Samples(samples: AsyncIterable<AudioSample>): AsyncGenerator<AudioSample> {
  const lastRate = mp3Rates[mp3Rates.length - 1] ?? toneSamplesPerSecond;
  let written = 0;
  for await (const sample of samples) {
    const { sampleRate, numberOfChannels } = sample;
    if (mp3Rates.includes(sampleRate) && numberOfChannels <= 2) {
      yield sample;
      continue;
    }
    const mixed = mixedDown(sample);
    sample.close();
    if (mp3Rates.includes(sampleRate)) {
      yield monoSample(mixed, sampleRate, written / sampleRate);
      written += mixed.length;
      continue;
    }
    // Nearest sample: a simulator's voice may crackle, but it keeps its length.
    const frames = Math.round((mixed.length * lastRate) / sampleRate);
    const data = Float32Array.from({ length: frames }, (_, at) => mixed[Math.floor((at * sampleRate) / lastRate)] ?? 0);
    yield monoSample(data, lastRate, written / lastRate);
    written += frames;
  }
}

function mixedDown(sample: AudioSample): Float32Array<ArrayBuffer> {
  const mixed = new Float32Array(sample.numberOfFrames);
  const plane = new Float32Array(sample.numberOfFrames);
  for (let channel = 0; channel < sample.numberOfChannels; channel++) {
    sample.copyTo(plane, { planeIndex: channel, format: 'f32-planar' });
    for (let at = 0; at < mixed.length; at++) {
      mixed[at] = (mixed[at] ?? 0) + (plane[at] ?? 0) / sample.numberOfChannels;
    }
  }
  return mixed;
}

const monoSample = (data: Float32Array<ArrayBuffer>, sampleRate: number, timestamp: number): AudioSample =>
  new AudioSample({ data, format: 'f32', numberOfChannels: 1, sampleRate, timestamp });
