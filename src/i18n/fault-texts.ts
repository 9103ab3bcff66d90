/** The words of an error's details and of "check configuration". A file of their own, loaded with the first error: few people need them. */
/** Of a report, what words can say. */
interface Report {
  status?: number;
  origin?: string;
  window?: number;
}

/** What is so, then what to do about it. */
type Words = (report: Report) => readonly string[];

export const faultsEn = {
  code: 'Code',
  status: 'HTTP status',
  errorType: 'Class',
  check: 'Check configuration',
  checking: 'Checking…',
  /** Before the address that was asked. */
  asked: 'Address:',
  feedback: 'Report a problem',
  findings: {
    ok: () => [
      'The endpoint answers and accepts requests from this page.',
      'The error was a passing one, or arises only with a whole message: retry.',
    ],
    'no-endpoint': () => ['No endpoint is set.', 'Whoever runs this page: set the “endpoint” attribute.'],
    'bad-url': () => [
      'The endpoint is not an address that can be asked.',
      'It has to begin with https:// or http://, or be a path of this site.',
    ],
    'on-device': () => [
      'The answers come from the browser’s own model; there is no endpoint to check.',
      'Update the browser, or look whether it has downloaded its model.',
    ],
    'mixed-content': () => ['This page is https, the endpoint http: the browser refuses that.', 'Serve the endpoint over https.'],
    offline: () => ['The browser has no network.', 'Connect to a network; what waits is then sent.'],
    'local-network': () => [
      'The endpoint is on this computer or in this network, and the browser does not let this page reach it.',
      'Allow access to the local network in the site settings, start the server there, and let it allow this site (OLLAMA_ORIGINS in Ollama).',
    ],
    csp: () => [
      'The Content-Security-Policy of this page forbids requests to the endpoint.',
      'Add the endpoint’s origin to its connect-src.',
    ],
    unreachable: () => [
      'Nothing answers at this address.',
      'Look for a typing error, whether the server runs, whether its name resolves and its certificate is valid.',
    ],
    timeout: () => ['The server took the request and did not answer in time.', 'It may be overloaded, or a proxy holds its answers back.'],
    cors: ({ origin = '' }) => [
      'A server answers, but does not let this site read its answers (CORS).',
      `It has to send Access-Control-Allow-Origin: ${origin}`,
    ],
    'cors-headers': ({ origin = '' }) => [
      'The server lets this site read its answers, but not send the headers of a chat request (CORS).',
      `To the preflight of ${origin} it has to answer with Access-Control-Allow-Headers: content-type, and the names of the headers you set.`,
    ],
    auth: ({ status = 401 }) => [
      `The endpoint wants to know who you are (${status}).`,
      'Sign in, or set a valid key in “headers”. Keys belong into a relay, not into a page.',
    ],
    'not-found': ({ status = 404 }) => [
      `A server answers, but not at this path (${status}).`,
      'Compare the path with the documentation of the service.',
    ],
    redirect: () => [
      'The server sends requests on to another address; that is not followed, for the conversation would go there.',
      'Set the final address as “endpoint”.',
    ],
    'wrong-answer': () => [
      'A web page stands at this address, not an endpoint.',
      'Compare the path with the documentation of the service; a login page may stand before it.',
    ],
    'rate-limit': () => ['The endpoint answers, and has had too many requests.', 'Wait a while, then retry.'],
    'too-long': ({ window }) => [
      `The endpoint works, but the last request was longer than what its model can read at once${window === undefined ? '' : ` (${String(window)} tokens)`}.`,
      'Start a new conversation, register fewer tools, or serve the model with a larger window (-c in llama.cpp, num_ctx in Ollama).',
    ],
    server: ({ status = 500 }) => [`The endpoint is there, but fails (${status}).`, 'The log of the server says why.'],
    headers: () => ['The page’s own “headers” function failed, so nothing could be sent.', 'The console of the browser says why.'],
  } satisfies Record<string, Words>,
};

/** A complete catalogue: a sentence for each finding of `findings.ts`. */
export type FaultTexts = Omit<typeof faultsEn, 'findings'> & { findings: Readonly<Record<keyof (typeof faultsEn)['findings'], Words>> };

export const faultsZh: FaultTexts = {
  code: '代码',
  status: 'HTTP 状态',
  errorType: '类别',
  check: '检查配置',
  checking: '正在检查…',
  asked: '地址：',
  feedback: '反馈问题',
  findings: {
    ok: () => ['接口可以访问，并接受本页的请求。', '刚才的错误是暂时的，或只在完整消息时出现：请重试。'],
    'no-endpoint': () => ['没有设置接口地址。', '请页面维护者设置 “endpoint” 属性。'],
    'bad-url': () => ['接口地址无效。', '应以 https:// 或 http:// 开头，或是本站的路径。'],
    'on-device': () => ['回答来自浏览器内置模型，没有接口可以检查。', '请更新浏览器，或查看模型是否已下载。'],
    'mixed-content': () => ['本页使用 https，而接口使用 http：浏览器不允许。', '请让接口使用 https。'],
    offline: () => ['浏览器没有连接网络。', '请连接网络，等待中的消息随后会发送。'],
    'local-network': () => [
      '接口位于本机或本地网络，浏览器不允许本页访问。',
      '请在网站设置中允许访问本地网络，启动该服务，并让它允许本站点（Ollama 用 OLLAMA_ORIGINS）。',
    ],
    csp: () => ['本页的内容安全策略（CSP）禁止访问该接口。', '请把接口的来源加入 connect-src。'],
    unreachable: () => ['该地址没有响应。', '请检查拼写、服务器是否运行、域名能否解析、证书是否有效。'],
    timeout: () => ['服务器收到请求，但没有及时回答。', '它可能过载，或有代理扣留了回答。'],
    cors: ({ origin = '' }) => ['服务器有响应，但不允许本站点读取（CORS）。', `它需要返回 Access-Control-Allow-Origin: ${origin}`],
    'cors-headers': ({ origin = '' }) => [
      '服务器允许本站点读取，但不允许发送聊天请求的请求头（CORS）。',
      `对 ${origin} 的预检请求，它需要返回 Access-Control-Allow-Headers: content-type 以及你设置的请求头。`,
    ],
    auth: ({ status = 401 }) => [
      `接口要求身份验证（${status}）。`,
      '请登录，或在 “headers” 中设置有效的密钥。密钥应放在中继服务中，不要放在页面里。',
    ],
    'not-found': ({ status = 404 }) => [`服务器有响应，但路径不存在（${status}）。`, '请对照服务文档检查路径。'],
    redirect: () => ['服务器把请求转到别的地址；为避免对话外泄，不会跟随。', '请把最终地址设为 “endpoint”。'],
    'wrong-answer': () => ['该地址是一个网页，不是接口。', '请对照服务文档检查路径；也可能需要先登录。'],
    'rate-limit': () => ['接口可用，但请求过于频繁。', '请稍后重试。'],
    'too-long': ({ window }) => [
      `接口可用，但上一次请求超过了模型一次能读取的长度${window === undefined ? '' : `（${String(window)} 个 token）`}。`,
      '请开始新的对话、少注册一些工具，或用更大的窗口运行模型（llama.cpp 的 -c，Ollama 的 num_ctx）。',
    ],
    server: ({ status = 500 }) => [`接口存在，但出错（${status}）。`, '原因请查看服务器日志。'],
    headers: () => ['页面自己的 “headers” 函数出错，因此无法发送。', '原因请查看浏览器控制台。'],
  },
};

/** @param lang BCP 47 */
export const faultTexts = (lang: string): FaultTexts => (/^zh\b/i.test(lang) ? faultsZh : faultsEn);
