import 'tool-chat/define';
import 'tool-chat/themes/warm.css';
import { rename } from './tool.js';

document.querySelector('tool-chat').registerTool(rename);
