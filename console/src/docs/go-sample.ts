/** An operation as a program in Go, with nothing but its standard library. */
import { type Call, formParts } from './sample-call.ts';

export function goSample(call: Call): string {
  const { origin, operation, path, body } = call;
  const isForm = body?.type === 'multipart/form-data';
  const parts = isForm ? formParts(body.value) : [];
  const type = isForm ? 'form.FormDataContentType()' : body && quoted(body.type);
  const main = [
    ...bodyLines(body, parts),
    `request, err := http.NewRequest(${quoted(operation.method.toUpperCase())}, ${quoted(origin + path)}, ${bodyName(body)})`,
    'check(err)',
    ...(operation.isKeyed ? [`request.Header.Set("Authorization", ${keyed})`] : []),
    ...(type === undefined ? [] : [`request.Header.Set("Content-Type", ${type})`]),
    '',
    'answer, err := http.DefaultClient.Do(request)',
    'check(err)',
    'defer answer.Body.Close()',
    ...answerLines(call),
  ];
  const code = [
    `func main() {\n${main.map((line) => (line === '' ? '' : `\t${line}`)).join('\n')}\n}`,
    ...(parts.some(({ isFile }) => isFile) ? [addFile] : []),
    'func check(err error) {\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n}\n',
  ].join('\n\n');
  return `package main\n\n${importsOf(code)}\n\n${code}`;
}

const keyed = '"Bearer "+os.Getenv("TOLLGATE_API_KEY")';

/** With the key in place, what only read it from the environment is imported no more, which Go would refuse. */
export function goWithKey(code: string, key: string): string {
  const own = code.replaceAll(keyed, quoted(`Bearer ${key}`));
  return /\bos\./.test(own) ? own : own.replace('\t"os"\n', '');
}

const packages = ['bufio', 'bytes', 'fmt', 'io', 'log', 'mime/multipart', 'net/http', 'os', 'strings'];

function importsOf(code: string): string {
  const used = packages.filter((name) => new RegExp(`\\b${name.split('/').at(-1) ?? name}\\.[A-Z]`).test(code));
  return `import (\n${used.map((name) => `\t"${name}"`).join('\n')}\n)`;
}

function bodyLines(body: Call['body'], parts: ReturnType<typeof formParts>): string[] {
  if (!body) return [];
  if (body.type !== 'multipart/form-data')
    return [`body := strings.NewReader(${raw(JSON.stringify(body.value, null, 2))})`];
  const fields = parts.map(({ name, value, isFile }) =>
    isFile
      ? `addFile(form, ${quoted(name)}, ${quoted(value)})`
      : `check(form.WriteField(${quoted(name)}, ${quoted(value)}))`,
  );
  return ['var body bytes.Buffer', 'form := multipart.NewWriter(&body)', ...fields, 'check(form.Close())', ''];
}

function bodyName(body: Call['body']): string {
  if (!body) return 'nil';
  return body.type === 'multipart/form-data' ? '&body' : 'body';
}

function answerLines({ isStream, file }: Call): string[] {
  if (isStream)
    return [
      'if answer.StatusCode >= 400 {',
      '\tlog.Fatal(answer.Status)',
      '}',
      'lines := bufio.NewScanner(answer.Body)',
      'lines.Buffer(nil, 1<<20)',
      'for lines.Scan() {',
      '\tif event, found := strings.CutPrefix(lines.Text(), "data: "); found {',
      '\t\tfmt.Println(event)',
      '\t}',
      '}',
      'check(lines.Err())',
    ];
  const text = [
    'text, err := io.ReadAll(answer.Body)',
    'check(err)',
    'if answer.StatusCode >= 400 {',
    '\tlog.Fatal(answer.Status, " ", string(text))',
    '}',
    'fmt.Println(string(text))',
  ];
  if (file === undefined) return text;
  return [
    'if answer.Header.Get("Content-Type") == "video/mp4" {',
    '\tfile, err := os.Create("video.mp4")',
    '\tcheck(err)',
    '\t_, err = io.Copy(file, answer.Body)',
    '\tcheck(err)',
    '\tcheck(file.Close())',
    '\treturn',
    '}',
    ...text,
  ];
}

const addFile = `func addFile(form *multipart.Writer, name, path string) {
	file, err := os.Open(path)
	check(err)
	defer file.Close()
	part, err := form.CreateFormFile(name, path)
	check(err)
	_, err = io.Copy(part, file)
	check(err)
}`;

const quoted = (text: string): string => JSON.stringify(text);

/** As it stands, unless it has what ends such a literal. */
const raw = (text: string): string => (text.includes('`') ? quoted(text) : `\`${text}\``);
