import{a}from"./chunk-UMY3XWEX.js";export{a as LongTexts};
