/** An operation as a program in Java 17, with nothing but its standard library: `java Sample.java` runs it. */
import { type Call, formParts } from './sample-call.ts';

export function javaSample(call: Call): string {
  const { origin, operation, path, body } = call;
  const isForm = body?.type === 'multipart/form-data';
  const type = isForm ? '"multipart/form-data; boundary=" + BOUNDARY' : body && quoted(body.type);
  const main = [
    ...bodyLines(body),
    `var request = HttpRequest.newBuilder(URI.create(${quoted(origin + path)}))`,
    ...(operation.isKeyed ? ['    .header("Authorization", "Bearer " + System.getenv("TOLLGATE_API_KEY"))'] : []),
    ...(type === undefined ? [] : [`    .header("Content-Type", ${type})`]),
    `    ${methodOf(call)}`,
    '    .build();',
    ...answerLines(call),
  ];
  const code = [
    'public class Sample {',
    ...(isForm ? ['    static final String BOUNDARY = UUID.randomUUID().toString();', ''] : []),
    '    public static void main(String[] args) throws Exception {',
    ...main.map((line) => (line === '' ? '' : `        ${line}`)),
    '    }',
    ...(isForm ? ['', ...addPart] : []),
    '}',
    '',
  ].join('\n');
  const imports = classes.filter((name) => new RegExp(`\\b${name.split('.').at(-1) ?? name}\\b`).test(code));
  return `${imports.map((name) => `import ${name};`).join('\n')}\n\n${code}`;
}

const classes = [
  'java.io.ByteArrayOutputStream',
  'java.net.URI',
  'java.net.http.HttpClient',
  'java.net.http.HttpRequest',
  'java.net.http.HttpRequest.BodyPublishers',
  'java.net.http.HttpResponse.BodyHandlers',
  'java.nio.file.Files',
  'java.nio.file.Path',
  'java.util.UUID',
];

function bodyLines(body: Call['body']): string[] {
  if (!body) return [];
  if (body.type !== 'multipart/form-data') return [`var body = ${textBlock(JSON.stringify(body.value, null, 2))};`];
  const parts = formParts(body.value).map(({ name, value, isFile }) =>
    isFile
      ? `add(form, ${quoted(`name="${name}"; filename="${value}"`)}, Files.readAllBytes(Path.of(${quoted(value)})));`
      : `add(form, ${quoted(`name="${name}"`)}, ${quoted(value)}.getBytes());`,
  );
  return [
    'var form = new ByteArrayOutputStream();',
    ...parts,
    'form.write(("--" + BOUNDARY + "--\\r\\n").getBytes());',
    '',
  ];
}

const addPart = [
  '    static void add(ByteArrayOutputStream form, String head, byte[] content) throws Exception {',
  '        form.write(("--" + BOUNDARY + "\\r\\nContent-Disposition: form-data; " + head + "\\r\\n\\r\\n").getBytes());',
  '        form.write(content);',
  '        form.write("\\r\\n".getBytes());',
  '    }',
];

function methodOf({ operation: { method }, body }: Call): string {
  if (method === 'get') return '.GET()';
  if (method === 'delete' && !body) return '.DELETE()';
  const publisher = !body
    ? 'BodyPublishers.ofString("")'
    : body.type === 'multipart/form-data'
      ? 'BodyPublishers.ofByteArray(form.toByteArray())'
      : 'BodyPublishers.ofString(body)';
  return method === 'post' ? `.POST(${publisher})` : `.method(${quoted(method.toUpperCase())}, ${publisher})`;
}

function answerLines({ isStream, file }: Call): string[] {
  const sent = (handler: string) => `var answer = HttpClient.newHttpClient().send(request, BodyHandlers.${handler}());`;
  const refused = (text: string) => `if (answer.statusCode() >= 400) throw new IllegalStateException(${text});`;
  if (isStream)
    return [
      sent('ofLines'),
      refused('"HTTP " + answer.statusCode()'),
      'answer.body()',
      '    .filter(line -> line.startsWith("data: "))',
      '    .forEach(line -> System.out.println(line.substring("data: ".length())));',
    ];
  if (file === undefined) return [sent('ofString'), refused('answer.body()'), 'System.out.println(answer.body());'];
  return [
    sent('ofByteArray'),
    refused('new String(answer.body())'),
    'var type = answer.headers().firstValue("Content-Type").orElse("");',
    'if (type.equals("video/mp4")) Files.write(Path.of("video.mp4"), answer.body());',
    'else System.out.println(new String(answer.body()));',
  ];
}

/** Indented as deep as the code around it, which Java takes away again. */
function textBlock(text: string): string {
  const indent = ' '.repeat(12);
  const lines = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"""').split('\n');
  return `"""\n${lines.map((line) => indent + line).join('\n')}\n${indent}"""`;
}

const quoted = (text: string): string => JSON.stringify(text);
