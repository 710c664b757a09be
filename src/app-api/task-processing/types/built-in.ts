import type { Shape, SlotType, TaskType } from './task-type.js';

const SLOTS: Readonly<Record<string, readonly [name: string, description: string]>> = {
  input: ['Input', 'What to work on'],
  output: ['Output', 'The result'],
  origin_language: ['Origin language', 'The language of the text'],
  target_language: ['Target language', 'The language to translate to'],
  tone: ['Tone', 'How the text should sound'],
  system_prompt: ['System prompt', 'Instructions for the assistant'],
  history: ['Chat history', 'Earlier messages, oldest first'],
  tool_message: ['Tool message', 'Results of the last calls of tools'],
  tools: ['Tools', 'Descriptions of tools as JSON'],
  tool_calls: ['Tool calls', 'Calls of tools that the assistant wants'],
  input_attachments: ['Attachments', 'Files that belong to the input'],
  output_attachments: ['Attachments', 'Files that belong to the answer'],
  style_input: ['Style', 'A text whose style is to be used'],
  source_input: ['Source', 'The text to rewrite'],
  confirmation: ['Confirmation', 'Whether the proposed actions are allowed: 0 or 1'],
  conversation_token: ['Conversation token', 'The state of the conversation'],
  actions: ['Actions', 'Actions that have to be confirmed'],
  memories: ['Memories', 'What the assistant remembers'],
  sources: ['Sources', 'What the answer is based on'],
  speech: ['Speech', 'The spoken text'],
  numberOfImages: ['Number of images', 'How many images to generate'],
  images: ['Images', 'The images'],
  image: ['Image', 'The image'],
};

/** @param slots type by key: `{ input: 'Text' }` */
function shape(slots: Readonly<Record<string, SlotType>>): Shape {
  return Object.fromEntries(
    Object.entries(slots).map(([key, type]) => {
      const [name, description] = SLOTS[key] ?? [key, ''];
      return [key, { name, description, type }];
    }),
  );
}

function taskType(
  id: string,
  [name, description]: readonly [string, string],
  input: Readonly<Record<string, SlotType>>,
  output: Readonly<Record<string, SlotType>>,
  isInternal = false,
): TaskType {
  const inputShape = shape(input);
  return { id, name, description, inputShape, outputShape: shape(output), isInternal };
}

const TEXT = { input: 'Text' } as const;
const TEXT_OUT = { output: 'Text' } as const;
const CHAT = { system_prompt: 'Text', input: 'Text', history: 'ListOfTexts' } as const;
const TOOLS = { ...CHAT, tool_message: 'Text', tools: 'Text' } as const;
const TOOLS_OUT = { output: 'Text', tool_calls: 'Text' } as const;
const AGENT = { input: 'Text', confirmation: 'Number', conversation_token: 'Text' } as const;
const AGENT_OUT = { output: 'Text', conversation_token: 'Text', actions: 'Text' } as const;

function ofText(name: string, title: string, description: string, isInternal = false): TaskType {
  return taskType(`core:text2text${name}`, [title, description], TEXT, TEXT_OUT, isInternal);
}

/**
 * The task types that exist without a provider bringing them.
 *
 * @see docs/app-api-tasks.md "Task processing"
 */
export const BUILT_IN_TYPES: readonly TaskType[] = [
  ofText('', 'Free text prompt', 'Answers a prompt.'),
  ofText(':headline', 'Generate headline', 'Finds a headline for a text.'),
  ofText(':topics', 'Extract topics', 'Lists the topics of a text.'),
  ofText(':summary', 'Summarize', 'Summarizes a text.'),
  ofText(':simplification', 'Simplify', 'Makes a text easier to understand.'),
  ofText(':reformulation', 'Reformulate', 'Says the same in other words.'),
  ofText(':formalization', 'Formalize', 'Makes a text more formal.'),
  ofText(':improve', 'Improve', 'Improves the style of a text.'),
  ofText(':proofread', 'Proofread', 'Finds mistakes in a text.'),
  ofText(':reformatparagraphs', 'Reformat paragraphs', 'Splits a text into paragraphs.', true),
  taskType(
    'core:text2text:translate',
    ['Translate', 'Translates a text.'],
    { input: 'Text', origin_language: 'Enum', target_language: 'Enum' },
    TEXT_OUT,
  ),
  taskType(
    'core:text2text:changetone',
    ['Change tone', 'Rewrites a text in another tone.'],
    { input: 'Text', tone: 'Enum' },
    TEXT_OUT,
  ),
  taskType('core:text2text:chat', ['Chat', 'Continues a conversation.'], CHAT, TEXT_OUT),
  taskType(
    'core:text2text:chatwithtools',
    ['Chat with tools', 'Continues a conversation and may call tools.'],
    TOOLS,
    TOOLS_OUT,
    true,
  ),
  taskType(
    'core:text2text:multimodal-chatwithtools',
    ['Chat with tools and files', 'Continues a conversation with files and may call tools.'],
    { ...TOOLS, input_attachments: 'ListOfFiles' },
    { ...TOOLS_OUT, output_attachments: 'ListOfFiles' },
    true,
  ),
  taskType(
    'core:contextwrite',
    ['Context write', 'Rewrites a text in the style of another one.'],
    { style_input: 'Text', source_input: 'Text' },
    TEXT_OUT,
  ),
  taskType(
    'core:contextagent:interaction',
    ['Context agent', 'Does what is asked with tools of the host.'],
    AGENT,
    AGENT_OUT,
    true,
  ),
  taskType(
    'core:contextagent:multimodal-interaction',
    ['Context agent with files', 'Does what is asked with tools of the host, and with files.'],
    { ...AGENT, input_attachments: 'ListOfFiles', memories: 'ListOfTexts' },
    { ...AGENT_OUT, output_attachments: 'ListOfFiles', sources: 'ListOfTexts' },
    true,
  ),
  taskType(
    'core:audio2text',
    ['Transcribe audio', 'Writes down what is said in a recording.'],
    { input: 'Audio' },
    TEXT_OUT,
  ),
  taskType('core:text2speech', ['Generate speech', 'Reads a text aloud.'], TEXT, {
    speech: 'Audio',
  }),
  taskType(
    'core:text2image',
    ['Generate images', 'Draws images of what a text describes.'],
    { input: 'Text', numberOfImages: 'Number' },
    { images: 'ListOfImages' },
  ),
  taskType(
    'core:text2image:single',
    ['Generate an image', 'Draws an image of what a text describes.'],
    TEXT,
    { image: 'Image' },
  ),
  taskType(
    'core:analyze-images',
    ['Analyze images', 'Answers a question about images.'],
    { images: 'ListOfImages', input: 'Text' },
    TEXT_OUT,
  ),
  taskType(
    'core:image2text:ocr',
    ['Read text in files', 'Reads the text in images and documents.'],
    { input: 'ListOfFiles' },
    { output: 'ListOfTexts' },
  ),
];
