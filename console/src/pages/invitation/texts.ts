/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('invitation', {
  en: {
    title: 'You are invited',
    toAccountAsOwner: '{{email}}, as an owner of {{account}}.',
    toAccountAsMember: '{{email}}, as a member of {{account}}.',
    asOperator: '{{email}}, as an operator of the service.',
    toConsole: '{{email}}, to the console of Tollgate.',
    invalidTitle: 'This invitation is no longer good',
    invalid: 'It was used, withdrawn or has expired. Ask whoever invited you for a new one.',
    toSignIn: 'Go to the sign-in page',
    email: 'E-mail',
    password: 'Choose a password',
    passwordHelp: 'At least {{count}} characters. A few random words are easy to remember and hard to guess.',
    ownPassword: 'Your password',
    ownPasswordHelp:
      'This address has a password here already: enter it. If you never chose one, someone else used your address: ask the operator of the service for a link that sets a new password and signs everyone else out.',
    tooShort: 'At least {{count}} characters.',
    accept: 'Accept and sign in',
  },
  zh: {
    title: '您收到了邀请',
    toAccountAsOwner: '{{email}}，成为 {{account}} 的所有者。',
    toAccountAsMember: '{{email}}，成为 {{account}} 的成员。',
    asOperator: '{{email}}，成为本服务的运营人员。',
    toConsole: '{{email}}，使用 Tollgate 控制台。',
    invalidTitle: '这份邀请已失效',
    invalid: '它已被使用、撤回或过期。请向邀请您的人索取新的邀请。',
    toSignIn: '前往登录页',
    email: '邮箱',
    password: '设置密码',
    passwordHelp: '至少 {{count}} 个字符。几个随机的词既好记又难猜。',
    ownPassword: '您的密码',
    ownPasswordHelp:
      '该邮箱在这里已有密码：请输入。如果您从未设置过，说明有人用了您的邮箱：请向本服务的运营人员索取重设密码的链接，它会让其他人退出登录。',
    tooShort: '至少 {{count}} 个字符。',
    accept: '接受并登录',
  },
});
