import{a,b}from"./chunk-U677MUFY.js";export{b as deleted,a as history};
