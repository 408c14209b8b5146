import{a,b}from"./chunk-K2XQPFQT.js";export{b as deleted,a as history};
