/** The texts of the page. */
import { defineTexts } from '../../texts/define-texts.ts';

export const texts = defineTexts('invitation', {
  en: {
    title: 'You’re invited',
    toAccountAsOwner: '{{email}}, as an owner of {{account}}.',
    toAccountAsMember: '{{email}}, as a member of {{account}}.',
    asOperator: '{{email}}, as an operator of the service.',
    toConsole: '{{email}}, to the Tollgate console.',
    invalidTitle: 'This invitation is no longer valid',
    invalid: 'It has been used, revoked or has expired. Ask the person who invited you for a new one.',
    toSignIn: 'Go to sign-in',
    email: 'E-mail',
    password: 'Choose a password',
    passwordHelp: 'At least {{count}} characters. A few random words are easy to remember and hard to guess.',
    ownPassword: 'Your password',
    ownPasswordHelp:
      'This address already has a password: enter it. If you never set one, another person used your address: ask the operator of the service for a password reset link, which also signs everyone else out.',
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
    invalid: '它已被使用、撤销或过期。请向邀请您的人索取新的邀请。',
    toSignIn: '前往登录页',
    email: '邮箱',
    password: '设置密码',
    passwordHelp: '至少 {{count}} 个字符。几个随机的词既好记又难猜。',
    ownPassword: '您的密码',
    ownPasswordHelp:
      '该邮箱已设置过密码，请输入。如果您从未设置过，说明有人用了您的邮箱：请向本服务的运营人员索取重设密码的链接，它同时会让其他人退出登录。',
    tooShort: '至少 {{count}} 个字符。',
    accept: '接受并登录',
  },
});
