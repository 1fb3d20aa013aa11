/** The texts of the page. */
import { defineTexts } from '../../../texts/define-texts.ts';

export const texts = defineTexts('playground-transcription', {
  en: {
    title: 'Transcription',
    description: 'Turn speech into text.',
    file: 'Audio file',
    fileHint: 'FLAC, MP3, MP4, M4A, Ogg, WAV or WebM, at most {{megabytes}} MiB.',
    tooLarge: 'This file is too large: the limit is {{megabytes}} MiB.',
    language: 'Language',
    languageHint: 'Optional. ISO 639-1, such as en or zh.',
    prompt: 'Prompt',
    promptHint: 'Optional. Names and terms that occur in the audio.',
    copy: 'Copy text',
  },
  zh: {
    title: '语音识别',
    description: '将语音转换为文字。',
    file: '音频文件',
    fileHint: 'FLAC、MP3、MP4、M4A、Ogg、WAV 或 WebM，最大 {{megabytes}} MiB。',
    tooLarge: '文件太大：最大 {{megabytes}} MiB。',
    language: '语言',
    languageHint: '选填。ISO 639-1 代码，例如 en 或 zh。',
    prompt: '提示词',
    promptHint: '选填。音频中出现的名称和术语。',
    copy: '复制文字',
  },
});
