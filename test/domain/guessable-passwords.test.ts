/** Passwords that guessers try early are refused, and others of the same length are not. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isGuessable } from '../../src/domain/accounts/guessable-passwords.ts';
import { passwordField } from '../../src/domain/accounts/person-rules.ts';

describe('guessed early', () => {
  const guessable = [
    ...[
      '1234567890',
      '0987654321',
      'qwertyuiop',
      'poiuytrewq',
      'abcdefghij',
      '1qaz2wsx3edc',
      'aaaaaaaaaa',
      'abcabcabcabc',
    ],
    ...[
      'password123',
      'Password2026!',
      '123password',
      'P@ssw0rd123',
      'iloveyou!!!!',
      'letmein2024',
      'tollgate2026',
      'QWERTY123456',
    ],
  ];
  for (const password of guessable) test(password, () => assert.equal(isGuessable(password), true));
});

describe('not guessed early', () => {
  const good = [
    'correct horse battery',
    '4815162342!!',
    'monkey bars at noon',
    'ten 77 sun',
    '关卡过路费每次十元整好',
    'k8#dW2!pQz',
  ];
  for (const password of good) test(password, () => assert.equal(isGuessable(password), false));
});

test('a password has ten characters at least, and the refusal names what is allowed', () => {
  const messageOf = (password: string) => passwordField.safeParse(password).error?.issues[0]?.message;
  assert.equal(messageOf('k8#dW2!pQ'), 'must have 10 to 200 characters');
  assert.match(messageOf('password1234') ?? '', /common password.*choose a few random words instead/);
  assert.equal(messageOf('k8#dW2!pQz'), undefined);
});
