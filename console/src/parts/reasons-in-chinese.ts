/**
 * The gateway's own words for why a paid call failed or its outcome is unknown, and why an entry of the ledger is there, in
 * Chinese. A test finds those of calls in the gateway's code. What a provider or an operator wrote is not among them.
 */
import { translatorOf } from '../texts/translator.ts';
import { chineseOf } from './errors-in-chinese.ts';

export const reasons: Readonly<Record<string, string>> = {
  // The outcome is unknown.
  'the connection broke, or no answer came in time': '连接中断，或未在规定时间内收到应答',
  'its answer broke off': '应答中断',
  'no answer': '没有应答',
  'no attempt was answered within the deadline': '在期限内没有任何一次尝试得到应答',
  'the attempt that sent it died': '发送请求的进程已终止',
  'the attempt that sent it died, and the provider names no job of ours':
    '发送请求的进程已终止，且在供应商处查不到对应的作业',
  'the job was given an odd id': '供应商返回的作业 id 异常',
  'the provider answered {{status}}': '供应商返回 {{status}}',
  'the provider answered with the code {{code}}': '供应商返回错误码 {{code}}',
  'the answer names no task': '应答中没有任务 id',
  'the answer names no request': '应答中没有请求 id',
  'the answer names no prediction': '应答中没有预测 id',
  'the answer names no generation': '应答中没有生成任务 id',
  'an answer without a result': '应答中没有结果',
  'the create was lost': '创建请求丢失',
  'the answer to the create has no id': '创建请求的应答中没有 id',
  'the create was answered with {{status}}': '创建请求返回 {{status}}',

  // The job was not stopped when its task ended.
  "left to end by itself: its provider didn't know it": '任其自行结束：供应商不认识该作业',
  'left to end by itself: its provider offers no cancelling': '任其自行结束：供应商不支持取消',
  'left to end by itself: it had gone too far to be stopped': '任其自行结束：作业已无法停止',
  'left to end by itself: cancelling it failed': '任其自行结束：取消失败',

  // The call or the task failed.
  'The provider could not be reached.': '无法连接供应商。',
  'The provider could not accept the task.': '供应商无法接受该任务。',
  'The task could not be prepared for the provider.': '无法为供应商准备该任务。',
  'The provider could not be called.': '无法调用供应商。',
  'The task could not be submitted to a provider within 24 hours.': '24 小时内未能将任务提交给任何供应商。',
  'The provider refused the task.': '供应商拒绝了该任务。',
  'The provider is busy. Try again later.': '供应商繁忙，请稍后重试。',
  'The provider did not respond in time.': '供应商未及时应答。',
  'The provider had an internal error.': '供应商内部错误。',
  'The provider’s content check is unavailable.': '供应商的内容审核不可用。',
  'The reference did not pass the provider’s content check.': '参考素材未通过供应商的内容审核。',
  'The prompt did not pass the provider’s content check.': '提示词未通过供应商的内容审核。',
  'The result did not pass the provider’s content check.': '结果未通过供应商的内容审核。',
  "The provider's moderation rejected the input.": '输入未通过供应商的内容审核。',
  'No face was found in the reference.': '参考素材中没有找到人脸。',
  'The provider does not know this model.': '供应商不认识该模型。',
  'The provider no longer knows the task.': '供应商已不认识该任务。',
  'The provider did not finish the task in time.': '供应商未在期限内完成该任务。',
  'The model did not finish in time.': '模型未在期限内完成。',
  'The prediction did not start in time.': '预测未在期限内开始。',
  'The provider never reported the outcome of the task.': '供应商始终没有报告任务的结果。',
  'The provider could not generate the video.': '供应商未能生成视频。',
  'The task expired at the provider.': '任务在供应商处已过期。',
  'The task was cancelled at the provider.': '任务在供应商处被取消。',
  'The prediction was cancelled at the provider.': '预测在供应商处被取消。',
  'The generation was cancelled at the provider.': '生成任务在供应商处被取消。',
  'The task failed.': '任务失败。',
  'The generation failed.': '生成失败。',
  'The generation failed: {{code}}.': '生成失败：{{code}}。',
  'The provider returned no result.': '供应商没有返回结果。',
  'The provider returned no file.': '供应商没有返回文件。',
  'The provider returned no image.': '供应商没有返回图片。',
  'The provider returned no video.': '供应商没有返回视频。',
  'The provider returned something other than a result.': '供应商返回的不是结果。',
  "The provider's response could not be read.": '供应商的应答无法读取。',
  'The safety checker of the model withheld the result.': '模型的安全检查未放行结果。',
  'The provider returned an image that cannot be read.': '供应商返回的图片无法读取。',
  'The provider returned a file that is too large.': '供应商返回的文件过大。',
  'The provider returned a file that is neither an image nor a video.': '供应商返回的文件既不是图片也不是视频。',
  'The provider returned a file that is not an image.': '供应商返回的文件不是图片。',
  'The provider returned a file that is not a video.': '供应商返回的文件不是视频。',
  "The provider answered with {{type}} where 'output_format' is '{{format}}'.":
    '供应商返回 {{type}}，而 output_format 为 {{format}}。',
  'The result is {{length}} s long; the maximum for this {{kind}} is {{limit}} s.':
    '结果长 {{length}} 秒，超过上限 {{limit}} 秒。',
  "The provider's response was interrupted, and its result is lost. You were not charged.":
    '供应商的应答中断，结果丢失，未扣费。',
  'The provider returned an error (HTTP {{status}}), and its result is lost. You were not charged.':
    '供应商返回错误（HTTP {{status}}），结果丢失，未扣费。',
  'The provider did not respond in time, and its result is lost. You were not charged.':
    '供应商未及时应答，结果丢失，未扣费。',
  'The connection to the provider was lost, and its result is lost. You were not charged.':
    '与供应商的连接中断，结果丢失，未扣费。',
  'The task failed because of an internal error of the gateway.': '任务因网关内部错误而失败。',

  // An entry of the ledger is there.
  'opening balance': '期初余额',
  'minimum charge': '最低收费',
  implausible_usage: '供应商报告的用量不可信',
  owner_lost: '处理该调用的进程已终止',
};

const translate = translatorOf(reasons);

/** The reason in Chinese, or of an error's code its meaning; what the gateway didn't write itself stays as it is. */
export const reasonInChinese = (reason: string): string =>
  reasons[reason] ?? chineseOf(reason) ?? translate(reason) ?? reason;
