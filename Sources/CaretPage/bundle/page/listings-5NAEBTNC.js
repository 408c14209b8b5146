import{a,b,c}from"./chunk-SZJQG5WN.js";export{b as deleted,a as history,c as links};
