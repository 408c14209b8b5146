import{a}from"./chunk-ZF7CRE5U.js";export{a as LongTexts};
