/** The Chinese texts of error details; `error-texts.ts` has the English ones. */
import type { ErrorTexts } from './error-texts.js';

export const errorsZh: ErrorTexts = {
  code: '错误代码',
  status: 'HTTP 状态码',
  errorType: '错误类别',
  said: '服务器消息',
  check: '检查配置',
  checking: '正在检查…',
  asked: '地址：',
  feedback: '报告问题',
  findings: {
    ok: () => ['接口可以访问，并接受本页的请求。', '刚才的错误是暂时的，或只在完整消息时出现：请重试。'],
    'no-endpoint': () => ['没有设置接口地址。', '致网站管理员：请设置“endpoint”属性。'],
    'bad-url': () => ['接口地址无效。', '应以 https:// 或 http:// 开头，或是本网站的路径。'],
    'on-device': () => ['回答来自浏览器内置模型，没有接口可以检查。', '请更新浏览器，或查看模型是否已下载。'],
    'mixed-content': () => ['本页使用 https，而接口使用 http：浏览器不允许。', '请让接口使用 https。'],
    offline: () => ['浏览器没有连接网络。', '请连接网络，等待中的消息随后会发送。'],
    'local-network': () => [
      '接口位于本机或本地网络，浏览器不允许本页访问。',
      '请在网站设置中允许访问本地网络，启动该服务，并让它允许本网站（Ollama 用 OLLAMA_ORIGINS）。',
    ],
    csp: () => ['本页的内容安全策略（CSP）禁止访问该接口。', '请把接口的来源加入 connect-src。'],
    unreachable: () => ['该地址没有响应。', '请检查拼写、服务器是否运行、域名能否解析、证书是否有效。'],
    timeout: () => ['服务器收到请求，但没有及时响应。', '它可能过载，或有代理延迟了响应。'],
    cors: ({ origin = '' }) => [
      '服务器有响应，但不允许本网站读取（CORS）。',
      `它需要返回 Access-Control-Allow-Origin: ${origin}（tool-chat 中继会对 ALLOWED_ORIGINS 中的来源返回）。`,
    ],
    'cors-headers': ({ origin = '' }) => [
      '服务器允许本网站读取，但不允许发送聊天请求的请求头（CORS）。',
      `对 ${origin} 的预检请求，它需要返回 Access-Control-Allow-Headers: content-type 以及你设置的请求头。`,
    ],
    auth: ({ status = 401 }) => [
      `接口要求身份验证（${status}）。`,
      '请登录，或在“headers”中设置有效的密钥。密钥应放在中继服务中，不要放在页面里。',
    ],
    forbidden: ({ status = 403, origin = '' }) => [
      `接口拒绝了本网站或该用户（${status}）。`,
      `如果它是 tool-chat 中继，请把 ${origin} 加入它允许的来源（ALLOWED_ORIGINS），或设为 PUBLIC_ORIGIN。否则请用有权限的账号登录。`,
    ],
    'not-found': ({ status = 404 }) => [`服务器有响应，但路径不存在（${status}）。`, '请对照服务文档检查路径。'],
    redirect: () => ['服务器把请求转到别的地址；为避免对话外泄，不会跟随。', '请把“endpoint”设为最终地址。'],
    'wrong-answer': () => ['该地址是一个网页，不是接口。', '请对照服务文档检查路径；也可能需要先登录。'],
    'rate-limit': () => ['接口可用，但请求过于频繁。', '请稍后重试。'],
    'too-long': ({ window }) => [
      `接口可用，但上一次请求超过了模型一次能读取的长度${window === undefined ? '' : `（${String(window)} 个 token）`}。`,
      '请开始新的对话、少注册一些工具，或为模型设置更大的上下文窗口（llama.cpp 的 -c，Ollama 的 num_ctx）。',
    ],
    server: ({ status = 500 }) => [`接口返回错误（${status}）。`, '原因请查看服务器日志。'],
    headers: () => ['页面自己的“headers”函数出错，因此未发送任何内容。', '原因请查看浏览器控制台。'],
  },
};
